"""A proxy that makes a remote execution service report API version 2.0.

    /usr/bin/python3 lower_version.py ADDRESS ENGINE

The service reports version 2.1 and newer. Bazel 7 requests 2.0, and uses no newer features. All
calls pass unchanged, except that one field is added to the answer to the capabilities request. The
proxy needs Debian's python3-grpcio.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc

_CAPABILITIES = "/build.bazel.remote.execution.v2.Capabilities/GetCapabilities"
# ServerCapabilities field 4, low_api_version: a message with field 1 (major) = 2 and field 2 (minor) = 0.
_VERSION_2_0 = bytes([0x22, 0x04, 0x08, 0x02, 0x10, 0x00])
_UNLIMITED = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
_CALLS = 64
# gRPC adds these metadata to a call.
_OWN_METADATA = ("grpc-", ":", "user-agent")
_LONGEST_DEADLINE = 1e6  # seconds; gRPC represents "none" as a larger value


class PassThrough(grpc.GenericRpcHandler):
    """Forwards every call of every service as bytes."""

    def __init__(self, engine: grpc.Channel):
        self._engine = engine

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        call = self._engine.stream_stream(details.method, request_serializer=None, response_deserializer=None)
        addition = _VERSION_2_0 if details.method == _CAPABILITIES else b""

        def answer(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
            metadata = [pair for pair in context.invocation_metadata() if not pair[0].startswith(_OWN_METADATA)]
            answers = call(requests, metadata=metadata, timeout=_deadline(context))
            context.add_callback(answers.cancel)
            try:
                for response in answers:
                    yield response + addition
            except grpc.RpcError as error:
                context.abort(error.code(), error.details() or "")

        return grpc.stream_stream_rpc_method_handler(answer)


def _deadline(context: grpc.ServicerContext) -> float | None:
    remaining = context.time_remaining()
    return remaining if remaining is not None and remaining < _LONGEST_DEADLINE else None


def main() -> None:
    address, engine = sys.argv[1:]
    server = grpc.server(
        ThreadPoolExecutor(_CALLS),
        handlers=[PassThrough(grpc.insecure_channel(engine, _UNLIMITED))],
        options=_UNLIMITED,
    )
    server.add_insecure_port(address)
    server.start()
    print("ready", flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    main()

// Checked by TypeScript, never run. The line after `@ts-expect-error` must be an error.
import * as embedded from "./embedded.mjs";
import * as texts from "./texts.mjs";
import {
  ExecutorchError,
  IntegerInputs,
  OddNames,
  OneRow,
  Program,
  TwoDynamicSizes,
  type LoadOptions,
  type Status,
  type Tensor,
} from "./nets.mjs";

export async function calls(): Promise<void> {
  using net = await OneRow.load({ onProgress: ({ loaded, total }) => console.log(loaded / total) });
  const { output0 } = net.forward({ x: new Float32Array(8) });
  const elements: Float32Array = output0;
  const tensor: Tensor<Float32Array, "float32"> = output0;
  const sizes: readonly number[] = tensor.sizes;
  console.log(elements.length, sizes);

  const integers = await IntegerInputs.load({ randomSeed: 7n, maxSteps: 100, variant: "plain" });
  integers.forward({ x: new Float32Array(18), start: 1, count: 2n, scale: 5 });

  const shaped = await TwoDynamicSizes.load();
  const { output0: columns } = shaped.forward({ x: { data: new Float32Array(6), sizes: [2, 3] } });
  shaped.forward({ x: columns });

  const names = await OddNames.load();
  const booleans: Uint8Array = names.match({ crate: elements, fn: elements }).struct;
  console.log(booleans, names.memoryBytes);

  await using_program(new Uint8Array(4));
  const options: LoadOptions = { signal: AbortSignal.timeout(10), backendOptions: { CpuBackend: { isa: "plain" } } };
  console.log(embedded.OneRow.load(options as embedded.LoadOptions<embedded.Variant>));
}

async function using_program(bytes: Uint8Array): Promise<Status | undefined> {
  try {
    const program = await Program.open(bytes);
    const [first] = program.run("forward", [new Float32Array(4), 3, 2n, undefined]);
    console.log(program.methods[0]?.inputs[0]?.dtype, first);
    program[Symbol.dispose]();
    return undefined;
  } catch (error) {
    return error instanceof ExecutorchError ? error.status : undefined;
  }
}

export async function tokenizers(): Promise<void> {
  using search = await texts.SearchTokenizer.load({ signal: AbortSignal.timeout(10) });
  const tokens: BigInt64Array = search.encode("a", { maxTokens: 8, specialTokens: false });
  const text: string = search.decode(tokens) + search.decode([1, 2n]) + search.decode(Int32Array.of(1));
  const chat = await texts.ChatTokenizer.load();
  const message: texts.ChatMessage = { role: "user", content: text };
  const stops: readonly bigint[] = chat.stopTokens;
  const piece: Uint8Array = chat.piece(chat.encodeChat([message], { answer: false })[0] ?? 0n);
  console.log(stops, piece, chat.vocabularySize, chat.memoryBytes);

  // @ts-expect-error: an option of the other algorithm
  chat.encode("a", { specialTokens: true });
  // @ts-expect-error: an unknown role
  chat.encodeChat([{ role: "tool", content: "" }]);
  // @ts-expect-error: a vocabulary without a chat template
  search.encodeChat([message]);
  // @ts-expect-error: not tokens
  chat.decode("a");
  // @ts-expect-error: a private constructor
  new texts.ChatTokenizer();
}

export async function mistakes(net: OneRow, shaped: TwoDynamicSizes, integers: IntegerInputs): Promise<void> {
  const x = new Float32Array(8);
  // @ts-expect-error: another type of elements
  net.forward({ x: new Float64Array(8) });
  // @ts-expect-error: not a typed array
  net.forward({ x: [1, 2, 3] });
  // @ts-expect-error: a missing input
  net.forward({});
  // @ts-expect-error: no inputs
  net.forward();
  // @ts-expect-error: an unknown input
  net.forward({ x, y: x });
  // @ts-expect-error: an unknown method
  net.backward({ x });
  // @ts-expect-error: an unknown output
  net.forward({ x }).scores;
  // @ts-expect-error: sizes are missing
  shaped.forward({ x });
  // @ts-expect-error: not an integer
  integers.forward({ x, start: "1", count: 2, scale: 3 });
  // @ts-expect-error: a private constructor
  new OneRow();
  // @ts-expect-error: an unknown variant
  await OneRow.load({ variant: "mmx" });
  // @ts-expect-error: an unknown option
  await OneRow.load({ seed: 7 });
  // @ts-expect-error: a read-only property
  net.forward({ x }).output0.sizes = [];
}

/** Options of the function load of tokenizers. */
export interface TokenizerOptions {
  /** The .wasm file: its URL, or a WebAssembly.Module. Default: next to the module. */
  wasm?: URL | string | object;
  /** Cancels the download. */
  signal?: AbortSignal;
}

/** Options of the function encode. */
export interface EncodeOptions {
  /** The maximum number of tokens. Default: no limit. */
  maxTokens?: number;
}

/** Options of the function encode of WordPiece tokenizers. */
export interface WordpieceOptions extends EncodeOptions {
  /** Whether [CLS] begins the tokens, and [SEP] ends them. Default: true. */
  specialTokens?: boolean;
}

/** The ids of tokens. */
export type TokenArray =
  | BigInt64Array
  | BigUint64Array
  | Int32Array
  | Uint32Array
  | Uint16Array
  | readonly (number | bigint)[];

/** A message of a chat. Only the first message can be of the system. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** Options of the function encodeChat. */
export interface ChatOptions {
  /** Whether the tokens begin the conversation, if its first message is not of the system. Default: true. */
  opening?: boolean;
  /** Whether the tokens end with the start of an answer. Default: true. */
  answer?: boolean;
}

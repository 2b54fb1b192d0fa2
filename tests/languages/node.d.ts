// The parts of Node that DriverIo.mjs uses.
declare module "node:fs" {
  export function readFileSync(path: string): Uint8Array<ArrayBuffer>;
  export function writeFileSync(path: string, bytes: Uint8Array): void;
}

declare const process: { argv: string[] };

declare const Buffer: { concat(parts: readonly Uint8Array[]): Uint8Array };

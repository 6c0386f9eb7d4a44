// Which of the two modules this browser takes: the same program, but the one for browsers that can
// multiply and add at once thinks faster.

/** A module of one function, `f32x4.relaxed_madd` of zeros. */
const PROBE = new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7b, 3, 2, 1, 0, 0x0a, 0x13, 1, 0x11, 0, 0x41, 0, 0xfd, 0x0f, 0x41, 0,
  0xfd, 0x0f, 0x41, 0, 0xfd, 0x0f, 0xfd, 0x85, 2, 0x0b,
]);

export const moduleFile = (): string => (WebAssembly.validate(PROBE) ? "outflank-relaxed.wasm" : "outflank.wasm");

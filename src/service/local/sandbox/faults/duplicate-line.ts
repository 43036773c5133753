const NEWLINE = 10;

/** Sends the first data line twice. A quoted CSV cell may hold newlines, so a CSV line ends outside quotes. */
export async function* duplicateLine(body: AsyncIterable<Buffer>, csv: boolean): AsyncGenerator<Buffer> {
  let held: Buffer | undefined = Buffer.alloc(0);
  let header = csv;
  for await (const piece of body) {
    if (held === undefined) {
      yield piece;
      continue;
    }
    held = Buffer.concat([held, piece]);
    for (;;) {
      const end: number = lineEnd(held, csv);
      if (end < 0) break;
      const line: Buffer = held.subarray(0, end);
      yield line;
      held = held.subarray(end);
      if (header) {
        header = false;
        continue;
      }
      yield Buffer.concat([line, held]);
      held = undefined;
      break;
    }
  }
  if (held !== undefined) yield held;
}

function lineEnd(bytes: Buffer, csv: boolean): number {
  let quoted = false;
  for (let at = 0; at < bytes.length; at++) {
    if (csv && bytes[at] === 0x22) quoted = !quoted;
    if (bytes[at] === NEWLINE && !quoted) return at + 1;
  }
  return -1;
}

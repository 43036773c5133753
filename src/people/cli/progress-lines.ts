/** Where no line can be written over, a progress is told in lines that are at least this far apart. */
const APART_MS = 30_000;

/** Writes one of many progresses every 30 seconds, so that a log is not full of them. */
export function progressLines(
  write: (line: string) => void,
  now: () => number = performance.now.bind(performance),
): (text: string) => void {
  let last: number | undefined;
  return (text) => {
    last ??= now();
    if (now() - last < APART_MS) return;
    last = now();
    write(text);
  };
}

/** More redirects than this are too many, as the service says. */
const MOST_REDIRECTS = 16;

/** Where the chain of redirects that begins with a URL leads. */
export interface Chain {
  /** Number of the URL at its end, or of the first one, by number, of the loop that it runs into. */
  readonly end: number;
  /** Redirects of the chain; of one that runs into a loop, up to where it repeats. */
  readonly count: number;
  readonly isLoop: boolean;
  readonly isTooMany: boolean;
}

/**
 * Follows the redirects of every URL. Each step is looked at once, however long the chains are.
 *
 * @param next for each URL the one that it redirects to, or -1
 */
export function followRedirects(next: Int32Array): (url: number) => Chain {
  const end = new Int32Array(next.length).fill(-1);
  const count = new Int32Array(next.length);
  const isLoop = new Uint8Array(next.length);
  const placeOnPath = new Int32Array(next.length).fill(-1);

  for (let start = 0; start < next.length; start++) {
    if (end[start] !== -1) continue;
    const path: number[] = [];
    let url = start;
    while (end[url] === -1 && placeOnPath[url] === -1) {
      placeOnPath[url] = path.length;
      path.push(url);
      const to = next[url] ?? -1;
      if (to < 0) break;
      url = to;
    }
    const loopStart = end[url] === -1 && (next[url] ?? -1) >= 0 ? (placeOnPath[url] ?? -1) : -1;
    if (loopStart >= 0) {
      const loop = path.splice(loopStart);
      const first = loop.reduce((least, member) => Math.min(least, member));
      for (const member of loop) {
        end[member] = first;
        count[member] = loop.length;
        isLoop[member] = 1;
      }
    }
    for (const member of path.reverse()) {
      const to = next[member] ?? -1;
      end[member] = to < 0 ? member : (end[to] ?? member);
      count[member] = to < 0 ? 0 : (count[to] ?? 0) + 1;
      isLoop[member] = to < 0 ? 0 : (isLoop[to] ?? 0);
    }
  }
  return (url) => ({
    end: end[url] ?? url,
    count: count[url] ?? 0,
    isLoop: isLoop[url] === 1,
    isTooMany: (count[url] ?? 0) > MOST_REDIRECTS,
  });
}

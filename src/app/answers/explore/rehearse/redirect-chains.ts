/** Where the redirects of a URL lead. */
interface Chain {
  /** Redirects up to the end, or in a loop up to the first URL that repeats. */
  readonly hops: number;
  /** The URL that does not redirect; null: the chain is a loop. */
  readonly end: string | null;
}

/** @param next returns the target of a URL that redirects */
export function chainsOf(next: (url: string) => string | undefined): (url: string) => Chain {
  const known = new Map<string, Chain>();
  return (start) => {
    const path: string[] = [];
    const places = new Map<string, number>();
    let url = start;
    for (
      let target = next(url);
      target !== undefined && !known.has(url) && !places.has(url);
      target = next(url)
    ) {
      places.set(url, path.length);
      path.push(url);
      url = target;
    }
    const begun = places.get(url);
    const loop = begun === undefined ? [] : path.splice(begun);
    for (const member of loop) known.set(member, { hops: loop.length, end: null });
    let chain = known.get(url) ?? { hops: 0, end: url };
    for (const member of path.reverse()) {
      chain = { hops: chain.hops + 1, end: chain.end };
      known.set(member, chain);
    }
    return chain;
  };
}

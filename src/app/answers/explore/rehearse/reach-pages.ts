/** Pages by the depth at which a crawl begins with them. */
export type Seeds = ReadonlyMap<number, readonly number[]>;

/**
 * Returns the depth of each page, level by level; -1 for a page that no path reaches.
 *
 * @param nextOf the pages to which a page leads
 * @returns also the seeds that no page of the previous level leads to
 */
export function reachPages(
  count: number,
  seeds: Seeds,
  nextOf: (page: number) => Iterable<number>,
): { readonly depths: Int32Array; readonly needed: Seeds } {
  const depths = new Int32Array(count).fill(-1);
  const needed = new Map<number, readonly number[]>();
  const deepest = [...seeds.keys()].reduce((most, depth) => Math.max(most, depth), 0);
  let next: number[] = [];
  for (let depth = 0; depth <= deepest || next.length > 0; depth++) {
    const isNew = (page: number): boolean => {
      if (depths[page] !== -1) return false;
      depths[page] = depth;
      return true;
    };
    const level = next.filter(isNew);
    const begun = (seeds.get(depth) ?? []).filter(isNew);
    if (begun.length > 0) needed.set(depth, begun);
    next = [];
    for (const page of [...level, ...begun])
      for (const target of nextOf(page)) if (depths[target] === -1) next.push(target);
  }
  return { depths, needed };
}

/** Groups pages by their depth in the crawl. */
export function seedsOf(depths: readonly (number | null)[]): Seeds {
  const seeds = new Map<number, number[]>();
  for (const [page, depth] of depths.entries())
    if (depth !== null) {
      const same = seeds.get(depth);
      if (same === undefined) seeds.set(depth, [page]);
      else same.push(page);
    }
  return seeds;
}

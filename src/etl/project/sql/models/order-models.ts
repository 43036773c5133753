/** Returns the names with dependencies first, otherwise ordered by name; or a cycle, such as `[a, b, a]`. */
export function orderModels(
  dependencies: ReadonlyMap<string, ReadonlySet<string>>,
): { readonly order: readonly string[] } | { readonly circle: readonly string[] } {
  const order: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];

  const visit = (name: string): readonly string[] | undefined => {
    if (done.has(name)) return undefined;
    const since = path.indexOf(name);
    if (since >= 0) return [...path.slice(since), name];
    path.push(name);
    for (const dependency of [...(dependencies.get(name) ?? [])].sort()) {
      const circle = visit(dependency);
      if (circle) return circle;
    }
    path.pop();
    done.add(name);
    order.push(name);
    return undefined;
  };

  for (const name of [...dependencies.keys()].sort()) {
    const circle = visit(name);
    if (circle) return { circle };
  }
  return { order };
}

/** Returns a name and all names that can be reached from it, directly or indirectly. */
export function reachable(from: string, next: (name: string) => Iterable<string> | undefined): Set<string> {
  const found = new Set([from]);
  for (const name of found) for (const one of next(name) ?? []) found.add(one);
  return found;
}

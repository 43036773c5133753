/**
 * Groups of nodes that are joined directly or through other nodes. The name of a group is its lowest node.
 *
 * Source: R. Tarjan, "Efficiency of a good but not linear set union algorithm" (1975), with path halving.
 */
export class UnionFind {
  readonly #parent: Int32Array;

  constructor(nodes: number) {
    this.#parent = Int32Array.from({ length: nodes }, (_, node) => node);
  }

  find(node: number): number {
    const parent = this.#parent;
    let at = node;
    for (;;) {
      const above = parent[at] ?? at;
      if (above === at) return at;
      const next = parent[above] ?? above;
      parent[at] = next;
      at = next;
    }
  }

  join(a: number, b: number): void {
    const [first, second] = [this.find(a), this.find(b)];
    if (first < second) this.#parent[second] = first;
    else this.#parent[first] = second;
  }
}

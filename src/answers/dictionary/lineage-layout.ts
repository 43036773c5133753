export type Reads = ReadonlyMap<string, readonly string[]>;

export interface LineageNode {
  readonly name: string;
  /** 0 reads nothing; each stands right of all that it reads. */
  readonly layer: number;
  /** Its place in the layer, from the top. */
  readonly place: number;
}

/** Everything that a table is made from, and everything that is made from it, with the table itself. */
export function familyOf(name: string, reads: Reads): ReadonlySet<string> {
  const readers = new Map<string, string[]>();
  for (const [reader, sources] of reads) {
    for (const source of sources) readers.set(source, [...(readers.get(source) ?? []), reader]);
  }
  return new Set([...reachable(name, reads), ...reachable(name, readers)]);
}

function reachable(name: string, edges: Reads): Set<string> {
  const found = new Set([name]);
  for (const one of found) for (const next of edges.get(one) ?? []) found.add(next);
  return found;
}

/**
 * Places the tables of a graph without circles: by layers from left to right, within a layer near the middle of what
 * they read, so that lines cross little.
 */
export function layoutLineage(names: ReadonlySet<string>, reads: Reads): LineageNode[] {
  const layers = new Map<string, number>();
  const layerOf = (name: string): number => {
    const known = layers.get(name);
    if (known !== undefined) return known;
    const sources = (reads.get(name) ?? []).filter((source) => names.has(source));
    const layer = sources.length === 0 ? 0 : 1 + Math.max(...sources.map(layerOf));
    layers.set(name, layer);
    return layer;
  };
  const places = new Map<string, number>();
  const nodes: LineageNode[] = [];
  const byLayer = Map.groupBy([...names].sort(), layerOf);
  for (const layer of [...byLayer.keys()].sort((a, b) => a - b)) {
    const middle = (name: string): number => {
      const above = (reads.get(name) ?? [])
        .map((source) => places.get(source))
        .filter((one) => one !== undefined);
      return above.length === 0 ? 0 : above.reduce((sum, place) => sum + place, 0) / above.length;
    };
    const ordered = (byLayer.get(layer) ?? []).toSorted((a, b) => middle(a) - middle(b) || (a < b ? -1 : 1));
    for (const [place, name] of ordered.entries()) {
      places.set(name, place);
      nodes.push({ name, layer, place });
    }
  }
  return nodes;
}

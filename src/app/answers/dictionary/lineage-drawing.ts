import { type Html, html } from '../../../core/text/html.ts';

const HEIGHT = 26;
const ROW = 36;
const GAP = 60;
const MARGIN = 8;
/** Width of one character in the drawing's font, in pixels. */
const LETTER = 7;

/** The facts about the whole page that a drawing or a link needs. */
export interface LineagePage {
  readonly reads: Reads;
  /** The names that have a section on the page: `mart.pages`, `mart.pages.url`. */
  readonly known: ReadonlySet<string>;
}

/**
 * Draws an SVG that shows, from left to right, how tables are derived from one another. Each box links to its section,
 * if there is one.
 *
 * @param chosen the subject of the drawing
 */
export function drawLineage(
  names: ReadonlySet<string>,
  { reads, known }: LineagePage,
  chosen: string | null,
): Html {
  const nodes = layoutLineage(names, reads);
  const widths = columnWidths(nodes);
  const left = (layer: number): number =>
    MARGIN + widths.slice(0, layer).reduce((sum, width) => sum + width + GAP, 0);
  const top = (place: number): number => MARGIN + place * ROW;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const lines = nodes.flatMap((node) =>
    (reads.get(node.name) ?? []).flatMap((source) => {
      const from = byName.get(source);
      if (!from) return [];
      const x1 = left(from.layer) + (widths[from.layer] ?? 0);
      const x2 = left(node.layer);
      const [y1, y2] = [top(from.place) + HEIGHT / 2, top(node.place) + HEIGHT / 2];
      const bend = (x2 - x1) / 2;
      return [html`<path d="M${x1},${y1}C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}"/>`];
    }),
  );
  const boxes = nodes.map((node) => {
    const width = widths[node.layer] ?? 0;
    const kind = `${node.name.split('.')[0]}${node.name === chosen ? ' chosen' : ''}`;
    const box = html`<rect class="${kind}" x="${left(node.layer)}" y="${top(node.place)}" width="${width}" height="${HEIGHT}" rx="5"/><text x="${left(node.layer) + 10}" y="${top(node.place) + 17}">${node.name}</text>`;
    return known.has(node.name) ? html`<a href="#${node.name}">${box}</a>` : box;
  });
  const width = left(widths.length) - GAP + MARGIN;
  const height = top(Math.max(0, ...nodes.map((node) => node.place)) + 1);
  return html`<svg class="lineage" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="lineage"><g>${lines}</g>${boxes}</svg>`;
}

function columnWidths(nodes: readonly LineageNode[]): number[] {
  const widths: number[] = [];
  for (const { layer, name } of nodes)
    widths[layer] = Math.max(widths[layer] ?? 0, name.length * LETTER + 20);
  return widths;
}

export type Reads = ReadonlyMap<string, readonly string[]>;

export interface LineageNode {
  readonly name: string;
  /** 0 for a table that reads no other table; every other table is to the right of all tables that it reads. */
  readonly layer: number;
  /** The position in the layer, from the top. */
  readonly place: number;
}

/** Returns the table, all tables that it is made from, and all tables that are made from it. */
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
 * Places the tables of an acyclic graph: in layers from left to right, and within a layer near the middle of the tables
 * they read, so that few lines cross.
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

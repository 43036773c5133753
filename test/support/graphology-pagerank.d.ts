declare module 'graphology-pagerank' {
  import type Graph from 'graphology';

  /** PageRank of each node, by its key. */
  export default function pagerank(
    graph: Graph,
    options: {
      readonly alpha: number;
      readonly tolerance: number;
      readonly maxIterations: number;
      /** By the attribute `weight` of each edge. */
      readonly weighted: boolean;
    },
  ): Record<string, number>;
}

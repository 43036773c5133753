import { setFlagsFromString } from 'node:v8';

/**
 * Tells V8 to keep the heap of this process small. Rows are DuckDB's; what is left is small, and V8 would let it grow
 * fivefold (docs/decisions/warehouse.md). Node.js 24 and 26 know the flag, and take it while they run.
 */
export function keepHeapSmall(): void {
  // The space of what is young stays as small as it begins; by itself it grows to 16 MB three times over.
  setFlagsFromString('--semi-space-growth-factor=1');
}

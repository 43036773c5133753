import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the V8 heap of this process small. The rows are in DuckDB. V8 would let the small rest grow fivefold
 * (docs/decisions/warehouse.md). Node.js 24 and 26 accept the flag at run time.
 */
export function keepHeapSmall(): void {
  // Keeps the young generation at its initial size; by default it grows to three times 16 MB.
  setFlagsFromString('--semi-space-growth-factor=1');
}

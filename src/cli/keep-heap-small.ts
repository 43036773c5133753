import { setFlagsFromString } from 'node:v8';

/**
 * Tells V8 to keep the heap of this process small. Rows are DuckDB's; what is left is small, and V8 would let it grow
 * fivefold (docs/decisions/warehouse-file.md).
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--semi-space-growth-factor=1');
}

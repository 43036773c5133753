import { duckdb } from './duckdb/duckdb.ts';
import type { EngineKind } from './engine.ts';
import { trino } from './trino/trino.ts';

/** A further engine is a folder and a line here (docs/architecture.md). */
export const KINDS: readonly EngineKind[] = [duckdb, trino];

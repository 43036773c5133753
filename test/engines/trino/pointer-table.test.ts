import { expect, test } from 'vitest';
import type { TrinoClient } from '../../../src/engines/trino/client.ts';
import { PointerTable } from '../../../src/engines/trino/pointer-table.ts';
import type { RelationNames } from '../../../src/engines/trino/relation-names.ts';
import { TrinoFailure, trinoError } from '../../../src/engines/trino/trino-error.ts';

const names = {
  visible: 'visible',
  candidate: 'candidate',
  lastPointers: () => 'SELECT 1',
} as unknown as RelationNames;

/** A Trino whose first inserts fail. */
function trino(failures: readonly string[]): { readonly client: TrinoClient; readonly inserts: string[] } {
  const inserts: string[] = [];
  const client = {
    scalar: async (sql: string) => (sql.includes('max(token)') ? BigInt(inserts.length + 1) : 0n),
    run: async (sql: string) => {
      if (!sql.startsWith('INSERT')) return 0n;
      const errorName = failures[inserts.length];
      inserts.push(sql);
      if (errorName === undefined) return 1n;
      throw trinoError(new TrinoFailure('q1', { errorName, errorType: 'EXTERNAL', message: 'no' }));
    },
    pages: async function* () {},
  } as unknown as TrinoClient;
  return { client, inserts };
}

const begin = (client: TrinoClient) =>
  PointerTable.begin({ client } as unknown as Parameters<typeof PointerTable.begin>[0], names, undefined);

test('a writer whose first row was overtaken by others takes the next token', async () => {
  const { client, inserts } = trino(['ICEBERG_COMMIT_ERROR', 'ICEBERG_COMMIT_ERROR']);
  await begin(client);
  expect(inserts.map((sql) => /VALUES \((?:BIGINT ')?(\d+)/.exec(sql)?.[1])).toEqual(['1', '2', '3']);
});

test('any other failure of it ends the writer', async () => {
  const { client, inserts } = trino(['ICEBERG_FILESYSTEM_ERROR']);
  await expect(begin(client)).rejects.toThrow('no (ICEBERG_FILESYSTEM_ERROR, query q1)');
  expect(inserts).toHaveLength(1);
});

import type { EngineKind } from '../engine.ts';
import { asTrino, TrinoWarehouse, trinoAddress } from './client/address.ts';

/** The rows are in Iceberg tables of Trino, whose files are in a bucket (docs/trino.md). */
export const trino: EngineKind = {
  name: 'trino',
  title: 'Trino',
  setting: TrinoWarehouse,
  target: 'trino.yaml',
  async dialect(schemaPrefix) {
    const { TrinoDialect } = await import('./trino-dialect.ts');
    return new TrinoDialect(schemaPrefix);
  },
  address: (setting, projectDir) => trinoAddress(TrinoWarehouse.parse(setting), projectDir),
  describe({ engine }) {
    const { url, catalog, schemaPrefix } = asTrino(engine);
    const { protocol, hostname, port } = new URL(url);
    return {
      shown: `Trino at ${url}, schemas ${schemaPrefix}raw, ${schemaPrefix}mart`,
      namespace: `trino://${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`,
      prefix: `${catalog}.${schemaPrefix}`,
      removable: 'the schemas and the bucket of Trino',
    };
  },
  async remote(address) {
    const { trinoRemote } = await import('./follow-publication.ts');
    return trinoRemote(asTrino(address));
  },
};

import type { Connection } from '../../core/duckdb/duckdb.ts';
import type { Logger } from '../../core/logs/logger.ts';
import type { Model } from '../../project/sql/models/model.ts';
import { changeText, diffContract, readContract } from '../../project/sql/plan/mart-contract.ts';
import { keepContract, keptContract } from '../../state/catalogue/ops/ops-contract.ts';
import { WAREHOUSE_VERSION } from '../../state/catalogue/schema.ts';

/** Says once what changed in `mart` since the contract that the working copy was made with, then keeps the present one. */
export async function announceUpgrade(
  connection: Connection,
  models: readonly Pick<Model, 'name'>[],
  logger: Logger,
): Promise<void> {
  const contract = await readContract();
  const former = await keptContract(connection, WAREHOUSE_VERSION);
  for (const change of diffContract(former, contract))
    logger.warn('mart has changed', { stage: 'transform', change: changeText(change) });
  const { version } = contract;
  // Those that the project makes.
  const tables = Object.fromEntries(
    models.flatMap(({ name }) => (contract.tables[name] ? [[name, contract.tables[name]]] : [])),
  );
  if (JSON.stringify({ version, tables }) !== JSON.stringify(former))
    await keepContract(connection, { version, tables });
}

import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import type { Logger } from '../../../../core/logs/logger.ts';
import {
  changedDefinitions,
  changeText,
  type Defined,
  definitionsOf,
  diffContract,
  readContract,
} from '../../../project/sql/plan/mart-contract.ts';
import { keepContract, keptContract } from '../../../state/catalog/ops/ops-contract.ts';
import { WAREHOUSE_VERSION } from '../../../state/catalog/schema.ts';

/**
 * Reports once what changed in `mart` since the contract that the working copy was made with, then stores the current
 * contract.
 *
 * @returns the models with another definition; null if there are none
 */
export async function announceUpgrade(
  connection: Connection,
  models: readonly Defined[],
  logger: Logger,
): Promise<ReadonlySet<string> | null> {
  const contract = await readContract();
  const former = await keptContract(connection, WAREHOUSE_VERSION);
  for (const change of diffContract(former, contract, models))
    logger.warn('mart has changed', { stage: 'transform', change: changeText(change) });
  const { version } = contract;
  // The models that the project builds.
  const shipped = models.filter(({ name }) => contract.tables[name]);
  const tables = Object.fromEntries(shipped.map(({ name }) => [name, contract.tables[name] ?? []]));
  const present = { version, tables, definitions: definitionsOf(shipped) };
  if (JSON.stringify(present) !== JSON.stringify(former)) await keepContract(connection, present);
  return changedDefinitions(former, contract, models);
}

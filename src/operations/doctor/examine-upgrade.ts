import {
  changeText,
  diffContract,
  type MartChange,
  readContract,
} from '../../project/sql/plan/mart-contract.ts';
import { keptContract } from '../../state/catalogue/ops/ops-contract.ts';
import { publicationOf } from '../../state/catalogue/ops/ops-publication.ts';
import { type PublishedPlace, readPublished } from '../../state/catalogue/published/read-published.ts';
import { CATALOG, WAREHOUSE_VERSION } from '../../state/catalogue/schema.ts';

/** What the next run of this version would change; nothing is changed to find out. */
export interface Upgrade {
  /** Versions of the tables of `ops`; null where nothing is published. */
  readonly warehouse: { readonly from: number; readonly to: number } | null;
  /** Versions of the contract of `mart`. */
  readonly contract: { readonly from: number; readonly to: number } | null;
  readonly mart: readonly MartChange[];
}

export async function examineUpgrade(settings: PublishedPlace): Promise<Upgrade> {
  const contract = await readContract();
  const found = await readPublished(settings, async (connection) => {
    const { version } = await publicationOf(connection, CATALOG);
    return { version, kept: await keptContract(connection, version) };
  });
  if (found === undefined) return { warehouse: null, contract: null, mart: [] };
  return {
    warehouse: { from: found.version, to: WAREHOUSE_VERSION },
    contract: { from: found.kept.version, to: contract.version },
    mart: diffContract(found.kept, contract),
  };
}

export function describeUpgrade({ warehouse, mart }: Upgrade): string {
  if (warehouse === null) return 'nothing is published yet, so an upgrade changes nothing\n';
  const { from, to } = warehouse;
  const first =
    from < to
      ? `the next run brings the warehouse from version ${from} to ${to}, and keeps the present file beside it`
      : `the warehouse has version ${to}, the present one`;
  const rest = mart.length === 0 ? ['mart keeps its tables, columns and meanings'] : mart.map(changeText);
  return `${[first, ...rest].join('\n')}\n`;
}

import type { ConnectionPool, Database } from '../../core/duckdb/duckdb.ts';
import type { ConversionPlaces } from '../../core/duckdb/engine.ts';
import type { Logger } from '../../core/logs/logger.ts';
import type { Meter } from '../../core/progress/meter.ts';
import type { SlotHandle } from '../../core/queue/fair-queue.ts';
import type { FollowedPlace } from '../../engines/engine.ts';
import type { WorkingCopy } from '../../engines/working-copy.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { PacesOf } from '../../project/model/route-pace.ts';
import type { Counts } from '../../project/model/runs/counts.ts';
import type { UnitReport } from '../../project/model/runs/report.ts';
import type { ServiceClient } from '../../service/api/client/client.ts';
import type { Unarchiver } from '../../service/api/unarchiver.ts';
import type { Hold } from '../../state/catalogue/ops/ops-holds.ts';
import type { LoadedUnit } from '../../state/catalogue/ops/ops-loads.ts';
import type { ReadField } from '../../state/catalogue/raw/raw-table.ts';
import type { Ledger } from '../../state/ledger/ledger.ts';
import type { LedgerSettings } from '../../state/ledger/open-ledger.ts';
import type { StorePrefix } from '../../stores/registry.ts';
import type { VolumeSettings } from '../load/check-volume.ts';
import type { StagedPackage } from '../load/read-package.ts';
import type { RankingWindows } from '../routes/aggregates/ranking-windows.ts';
import type { ExportSettings } from '../routes/export/reconcile-exports.ts';
import type { FieldSchemaCache } from '../routes/field-schema-cache.ts';
import type { OpeningContext, UnitToOpen } from '../routes/open-unit.ts';
import type { RouteSettings } from '../routes/route.ts';
import type { FolderSettings, UnitFolders } from '../stage/unit-folders.ts';
import type { UnitEvents } from './unit-events.ts';

/** What staging reads of the settings. */
interface StagingSettings extends RouteSettings, FolderSettings {
  readonly on_reject: NonNullable<Pipeline['on_reject']>;
}

/** What the units of a session read of them. */
interface UnitSettings
  extends StagingSettings,
    VolumeSettings,
    ExportSettings,
    FollowedPlace,
    LedgerSettings {
  readonly schema_change: NonNullable<Pipeline['schema_change']>;
  readonly packages?: StorePrefix | undefined;
  readonly concurrency: number;
  readonly concurrency_per_project: number;
  readonly concurrency_per_store: number;
  readonly publish_every: number;
}

/** The one writer of a project: lock, ledger, engine, working copy and models, open until the session is left. */
export interface Session {
  readonly settings: UnitSettings;
  readonly runId: string;
  readonly ledger: Ledger;
  readonly database: Database;
  readonly working: WorkingCopy;
  /** The units in the working copy when the session began. */
  readonly loaded: ReadonlyMap<string, LoadedUnit>;
  /** The units whose last load was held, when the session began. */
  readonly holds: ReadonlyMap<string, Hold>;
  /** Of the models, as their files are now. */
  readonly modelsVersion: string;
  /** What they read of a dataset. */
  readonly fieldsRead: (dataset: string) => ReadonlyMap<string, ReadField>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  readonly meter: Meter;
  /** Absent where nobody reads them. */
  readonly events?: UnitEvents | undefined;
  /** Publishes what is loaded, while nothing else uses the working copy; the session goes on. */
  readonly publish: (units: readonly UnitReport[]) => Promise<unknown>;
}

/** The parts of a run, or of a worker, that staging a unit needs. */
export interface StagingContext extends OpeningContext {
  readonly settings: StagingSettings;
  readonly engine: ConversionPlaces;
  /** The connections that convert. */
  readonly staging: ConnectionPool;
  readonly meter: Pick<Meter, 'opened' | 'received' | 'unitPhase'>;
  readonly events?: UnitEvents | undefined;
}

/** The shared context of the units of one run. */
export interface RunContext extends Session {
  readonly client: ServiceClient;
  /** Loaded units are requested again. */
  readonly reload: boolean;
  /** The units' crawls were named by a person: what is unusual about them is accepted. */
  readonly named: boolean;
  /** Units that failed repeatedly wait for their next try: no person started this run. */
  readonly respectBackoff: boolean;
  /** Rows that a plan has counted, by the names of their units. */
  readonly planned: ReadonlyMap<string, number>;
  /** Of loads before this run. */
  readonly pacesOf: PacesOf;
  readonly unarchiver: Unarchiver;
  readonly fieldSchemas: FieldSchemaCache;
  readonly engine: ConversionPlaces;
  /** The connections that convert. */
  readonly staging: ConnectionPool;
  /** Does another process wait for the lock that this run yields? */
  readonly hasLockWaiter: () => boolean;
  /** Absent: by the staging of `stage/` and the load of `load/`, in DuckDB. */
  readonly steps?: UnitSteps;
}

/** A unit that is to be staged; its folder is its name's. */
export type UnitToStage = Omit<UnitToOpen, 'folder'>;

/** The result for a unit before its load. */
export interface StagedUnit {
  readonly folders: UnitFolders;
  readonly manifest: Manifest;
}

/** How a unit comes into a package, and the package into the working copy. */
export interface UnitSteps {
  stage(
    context: StagingContext,
    due: UnitToStage,
    onMove: (state: 'requested' | 'downloading', attempt: number) => Promise<void>,
  ): Promise<StagedUnit>;
  load(context: UnitContext, staged: StagedPackage, pipeline: Pipeline | undefined): Promise<Counts>;
}

/** What a run gives to one unit at work: also its slot. */
export interface UnitContext extends RunContext {
  readonly slot: SlotHandle;
  readonly rankings: RankingWindows;
  /** The packages of the run that wait for their load. */
  readonly loads: {
    load(
      context: UnitContext,
      staged: StagedPackage,
      pipeline: Pipeline | undefined,
      attempts: number,
    ): Promise<Counts>;
  };
}

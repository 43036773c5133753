import type { Unarchiver } from '../../../client/unarchiver.ts';
import type { ConversionPlaces } from '../../../core/duckdb/conversion-places.ts';
import type { ConnectionPool, Database } from '../../../core/duckdb/duckdb.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import type { Meter } from '../../../core/progress/meter.ts';
import type { SlotHandle } from '../../../core/queue/fair-queue.ts';
import type { StorePrefix } from '../../../core/stores/registry.ts';
import type { FollowedPlace } from '../../engines/engine.ts';
import type { WorkingCopy } from '../../engines/working-copy.ts';
import type { FormerLoad } from '../../project/model/former-load.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { Counts } from '../../project/model/runs/six-counts.ts';
import type { Task } from '../../project/model/task.ts';
import type { ReadField } from '../../project/sql/models/model.ts';
import type { Hold } from '../../state/catalog/ops/ops-holds.ts';
import type { Ledger } from '../../state/ledger/ledger.ts';
import type { LedgerSettings } from '../../state/ledger/open-ledger.ts';
import type { VolumeSettings } from '../load/check-volume.ts';
import type { Package } from '../load/read-package.ts';
import type { ExportSettings } from '../routes/export/reconcile-exports.ts';
import type { OpeningContext, OpeningOptions } from '../routes/open-unit.ts';
import type { RouteOption, RouteSettings } from '../routes/route.ts';
import type { FolderSettings } from '../stage/unit-folders.ts';
import type { UnitEvents } from './unit-events.ts';

/** The settings that staging reads. */
interface StagingSettings extends RouteSettings, FolderSettings {
  readonly on_reject: NonNullable<Pipeline['on_reject']>;
}

/** The settings that the units of a session read. */
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

/**
 * The only writer of a project, with its lock, ledger, engine, working copy and models. It stays open until the end of
 * the session.
 */
export interface Session {
  readonly settings: UnitSettings;
  readonly runId: string;
  readonly ledger: Ledger;
  readonly database: Database;
  readonly working: WorkingCopy;
  /** The units in the working copy at the start of the session. */
  readonly loaded: ReadonlyMap<string, FormerLoad>;
  /** The units that were quarantined at the start of the session. */
  readonly holds: ReadonlyMap<string, Hold>;
  /** Version of the current files of the models. */
  readonly modelsVersion: string;
  /** Returns the fields of a dataset that models read. */
  readonly fieldsRead: (dataset: string) => ReadonlyMap<string, ReadField>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  readonly meter: Meter;
  /** Absent if nothing reads the events. */
  readonly events?: UnitEvents | undefined;
}

/** What staging needs from a run or a worker, in addition to opening (`OpeningContext`). */
export interface StagingContext extends OpeningContext {
  readonly settings: StagingSettings;
  readonly engine: ConversionPlaces;
  /** The connections that convert. */
  readonly staging: ConnectionPool;
  readonly meter: Pick<Meter, 'opened' | 'received' | 'unitPhase'>;
  readonly events?: UnitEvents | undefined;
}

/** What a load needs from a session. */
export interface LoadContext
  extends Pick<
    Session,
    'settings' | 'runId' | 'working' | 'holds' | 'modelsVersion' | 'fieldsRead' | 'signal'
  > {
  /** Whether a person named the crawl. If so, an unusual number of rows is accepted. */
  readonly named: boolean;
  /** Whether a person requested the unit again. If so, quarantined content is also loaded. */
  readonly reload: boolean;
}

/** What the units of a run share: its session, and what opening, staging and loading add to it. */
export interface SharedContext
  extends Session,
    Omit<StagingContext, keyof Session | 'slot' | 'rankings'>,
    Omit<LoadContext, keyof Session> {
  readonly unarchiver: Unarchiver;
  /** The steps of a unit; by default, those of `stage/` and `load/`, in DuckDB. */
  readonly steps?: UnitSteps;
}

/** The context of one unit at work. */
export interface UnitContext extends SharedContext, Pick<StagingContext, 'rankings'> {
  /** The slot of the unit. A small package releases its slot before its load. */
  readonly slot: SlotHandle;
  /** The packages of the run that wait for their load. */
  readonly loads: {
    load(
      context: UnitContext,
      staged: Package,
      pipeline: Pipeline | undefined,
      attempts: number,
    ): Promise<Counts>;
  };
}

/** Callbacks during staging. */
export interface StagingProgress extends Pick<OpeningOptions, 'onChosen'> {
  readonly onMove: (state: 'requested' | 'downloading', attempt: number) => Promise<void>;
}

/** Turns a unit into a package, and loads the package into the working copy. */
export interface UnitSteps {
  stage(
    context: StagingContext,
    task: Task,
    options: readonly RouteOption[],
    progress: StagingProgress,
  ): Promise<Package>;
  /** Loads a package. Without a pipeline of the dataset, only the settings apply. */
  load(context: LoadContext, staged: Package, pipeline: Pipeline | undefined): Promise<Counts>;
}

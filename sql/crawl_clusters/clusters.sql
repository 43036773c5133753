/*
name: mart.clusters
kind: view
description: >-
  One row for each cluster of similar pages that a crawl found. Its pages are the pages of mart.pages with the
  identifier in `clusters`.
grain: {columns: [crawl_id, cluster_id], severity: warn}
columns:
  crawl_id: Identifier of the crawl (raw.crawl_clusters._crawl_id).
  project_id: Identifier of its project (raw.crawl_clusters._project_id).
  cluster_id: Identifier of the cluster, as in mart.pages.clusters (raw.crawl_clusters.cluster_id).
  size: Number of its pages (raw.crawl_clusters.size).
  average_similarity: Average similarity of its pages, 0 to 1 (raw.crawl_clusters.average_similarity).
  canonical_status: >-
    Whether canonicals handle the cluster: canonical_ok, canonical_not_matching or canonical_not_set
    (raw.crawl_clusters.canonical_status).
  sample_urls: URLs of some of its pages (raw.crawl_clusters.sample_urls).
  _load_id: >-
    Run and unit that loaded the row, separated by a space (raw.crawl_clusters._run_id, raw.crawl_clusters._unit).
    ops.tombstones contains it once the row is replaced or removed.
  _loaded_at: When the row was loaded (raw.crawl_clusters._loaded_at).
reads:
  raw.crawl_clusters:
    _crawl_id: VARCHAR
    _project_id: VARCHAR
    _unit: VARCHAR
    _run_id: VARCHAR
    _loaded_at: TIMESTAMP WITH TIME ZONE
    cluster_id: VARCHAR
    size: BIGINT
    average_similarity: DOUBLE
    canonical_status: VARCHAR
    sample_urls: VARCHAR[]
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  partitions: SELECT source_id AS crawl_id, loaded_at FROM ops.loads WHERE dataset = 'crawl_clusters'
*/
SELECT
  _crawl_id AS crawl_id,
  _project_id AS project_id,
  cluster_id,
  size,
  average_similarity,
  canonical_status,
  sample_urls,

  _run_id || ' ' || _unit AS _load_id,
  _loaded_at
FROM raw.crawl_clusters

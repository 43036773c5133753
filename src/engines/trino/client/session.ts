/**
 * Session properties of the writer's statements and of data tests. Views of views have many parts; Trino runs no more than
 * 150 by itself.
 */
export const MODEL_SESSION = { query_max_stage_count: '1500' };

/** Limits people's statements to 500 stages: a larger one would block a shared cluster for others. */
export const QUERY_SESSION = { query_max_stage_count: '500' };

/**
 * Session properties of the writer's statements and of data tests. Views of views have many parts; Trino runs no more than
 * 150 by itself.
 */
export const MODEL_SESSION = { query_max_stage_count: '1500' };

/** The same of people's statements: what needs more would keep others from a cluster that all share. */
export const QUERY_SESSION = { query_max_stage_count: '500' };

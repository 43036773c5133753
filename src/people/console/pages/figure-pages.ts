/** The pages behind a figure, as mart.crawl_segments counts them. */
export const FIGURE_PAGES = {
  pages: {},
  indexable_pages: { is_indexable: 'is:true' },
  error_pages: { status_code: ['gte:400', 'lt:600'] },
  redirect_pages: { status_code: ['gte:300', 'lt:400'] },
} as const;

export type { PaginationProps } from 'antd'
export { default as Pagination } from 'antd/es/pagination'

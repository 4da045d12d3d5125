export { Pagination, type PaginationProps } from 'antd'

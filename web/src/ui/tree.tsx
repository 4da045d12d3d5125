export type { TreeProps } from 'antd'
export { default as Tree } from 'antd/es/tree'

export type { ProgressProps } from 'antd'
export { default as Progress } from 'antd/es/progress'

export type { SelectProps } from 'antd'
export { default as Select } from 'antd/es/select'

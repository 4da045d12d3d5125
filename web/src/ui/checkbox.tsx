export type { CheckboxProps } from 'antd'
export { default as Checkbox } from 'antd/es/checkbox'

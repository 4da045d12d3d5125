export type { RadioGroupProps } from 'antd'
export { default as Radio } from 'antd/es/radio'

export type { SwitchProps } from 'antd'
export { default as Switch } from 'antd/es/switch'

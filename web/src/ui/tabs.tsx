export type { TabsProps } from 'antd'
export { default as Tabs } from 'antd/es/tabs'

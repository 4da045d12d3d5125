export type { DrawerProps } from 'antd'
export { default as Drawer } from 'antd/es/drawer'

export { Drawer, type DrawerProps } from 'antd'

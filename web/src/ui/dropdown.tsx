export type { DropdownProps, MenuProps } from 'antd'
export { default as Dropdown } from 'antd/es/dropdown'

export type { PopoverProps } from 'antd'
export { default as Popover } from 'antd/es/popover'

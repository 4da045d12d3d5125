export type { TooltipProps } from 'antd'
export { default as Tooltip } from 'antd/es/tooltip'

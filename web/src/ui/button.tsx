export type { ButtonProps } from 'antd'
export { default as Button } from 'antd/es/button'

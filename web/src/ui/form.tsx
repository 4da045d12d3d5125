export type { FormInstance, FormItemProps, FormProps } from 'antd'
export { default as Form } from 'antd/es/form'

export { Form, type FormInstance, type FormItemProps, type FormProps } from 'antd'

export { Radio, type RadioGroupProps } from 'antd'

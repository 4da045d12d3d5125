export { InputNumber as NumberInput, type InputNumberProps as NumberInputProps } from 'antd'

export { Switch, type SwitchProps } from 'antd'

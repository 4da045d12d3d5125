export { Tree, type TreeProps } from 'antd'

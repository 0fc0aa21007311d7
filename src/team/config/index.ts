export {
  isGatewayAddress,
  levelFor,
  type ProjectChoice,
  type ProjectLevel,
  readTeamConfig,
  type TeamConfig,
  teamConfigPath,
} from './team-config.ts';

-- What running attempts have told of their progress, with the runner that runs them: operational, and gone with its row.
ALTER TABLE __schema__.runner_presence ADD COLUMN progress json;

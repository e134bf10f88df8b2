-- A job that is done has left every table that knows its number; its first event keeps it. As a text: a cast could refuse an append.
CREATE INDEX event_job_number ON __schema__.event ((data->>'number')) WHERE type = 'JobEnqueued';

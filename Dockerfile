# docker build --tag lakeproof .    then: docs/gate-your-server.md, "In a container". tests/lakeproof/test_ci_files.py
# runs its commands.
FROM python:3.13-slim AS build
WORKDIR /src
COPY . .
RUN pip wheel --quiet --no-deps --wheel-dir dist .

FROM python:3.13-slim
ARG EXTRAS=lance,s3
WORKDIR /wheels
COPY --from=build /src/dist .
RUN pip install --quiet --no-cache-dir "$(echo ./*.whl)${EXTRAS:+[$EXTRAS]}"
RUN useradd --create-home --home-dir /work lakeproof
USER lakeproof
WORKDIR /work
ENTRYPOINT ["lakeproof"]

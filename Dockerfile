# The proxy, for a container: docker build -t streamguard .
#   docker run -p 127.0.0.1:8080:8080 -e STREAMGUARD_RESULTS_TOKEN streamguard --upstream URL
# The name alone follows Python's own fixes; what goes into production is better pinned to a digest:
#   docker build --build-arg BASE=python:3.12-slim@sha256:... (docs/deploy.md says how to find it)
ARG BASE=python:3.12-slim
FROM ${BASE} AS build
ARG EXTRAS=speed,otel
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY streamguard ./streamguard
COPY js ./js
RUN python -m venv /opt/streamguard \
    && /opt/streamguard/bin/pip install --no-cache-dir --constraint constraints.txt ".[${EXTRAS}]"

FROM ${BASE}
RUN groupadd --system --gid 10001 streamguard \
    && useradd --system --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin streamguard \
    && install --directory --owner 10001 --group 10001 /var/lib/streamguard
COPY --from=build /opt/streamguard /opt/streamguard
# By number: Kubernetes cannot tell from a name that it is not root.
USER 10001:10001
# Where relative paths lead: the spool of --results, recordings, feedback.
WORKDIR /var/lib/streamguard
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 \
    CMD ["/opt/streamguard/bin/python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8080/streamguard/health', timeout=4)"]
ENTRYPOINT ["/opt/streamguard/bin/streamguard", "proxy", "--listen", "0.0.0.0:8080"]
CMD ["--help"]

"""The real image, built and run as docker-compose.yml says, without a container engine.

`make container-test` builds the Dockerfile with buildah, runs the services of the compose file with
runc, and uses the site with a browser through the proxy. `site.py` starts everything; the other
modules are its parts.
"""
